// Package ancestors has the two automata that those of the monitoring
// experiment extend, each with the small task its authors set it: chapter 4
// of Myrer and Olsen, Incremental Web Crawling as a Competitive Game of
// Learning Automata ("the thesis").
//
//	pointlocation.go   section 4.1, ancestor of CGLA (Oommen 1997)
//	equipartition.go   section 4.2, ancestor of FPA (Oommen and Ma 1988)
package ancestors

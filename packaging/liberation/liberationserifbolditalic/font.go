// Package liberationserifbolditalic stands for a font that no figure uses.
package liberationserifbolditalic

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF

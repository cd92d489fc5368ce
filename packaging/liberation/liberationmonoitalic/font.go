// Package liberationmonoitalic stands for a font that no figure uses.
package liberationmonoitalic

import "github.com/go-fonts/liberation/liberationsansregular"

// TTF is Liberation Sans Regular.
var TTF = liberationsansregular.TTF

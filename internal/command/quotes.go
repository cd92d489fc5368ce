package command

import "strings"

// quotedPlaceholder returns a parameter that stands within quotation marks of a
// shell's text; empty if none does. There, the marks around its value would end
// those of the text, and the value would be executed. The seed is a number,
// which needs no marks.
func quotedPlaceholder(text string) string {
	if strings.Contains(text, "<<") {
		return "" // the marks of a document within the text mean nothing
	}
	var open []byte // what is open: marks and parentheses
	begin := 0
	for _, at := range placeholder.FindAllStringIndex(text, -1) {
		open = scanShell(open, text[begin:at[0]])
		begin = at[1]
		found := text[at[0]:at[1]]
		isParam := found != "{{" && found != "}}" && found != "{seed}"
		if isParam && isQuoted(open) {
			return found
		}
	}
	return ""
}

// isQuoted reports whether the innermost of what is open are quotation marks.
func isQuoted(open []byte) bool {
	return len(open) > 0 && (open[len(open)-1] == '\'' || open[len(open)-1] == '"')
}

// scanShell reads a piece of a shell's text, before which something is open,
// and returns what is open behind it.
func scanShell(open []byte, text string) []byte {
	for i := 0; i < len(text); i++ {
		c := text[i]
		inner := byte(0)
		if len(open) > 0 {
			inner = open[len(open)-1]
		}
		switch {
		case inner == '\'':
			if c == '\'' {
				open = open[:len(open)-1]
			}
		case c == '\\':
			i++ // the next character means itself
		case c == inner && c == '"', c == inner && c == '`', c == ')' && inner == '(':
			open = open[:len(open)-1]
		case inner == '"':
			if c == '`' {
				open = append(open, c)
			}
			if strings.HasPrefix(text[i:], "$(") {
				open = append(open, '(')
				i++
			}
		case c == '\'', c == '"', c == '`', c == '(':
			open = append(open, c)
		case c == '#' && (i == 0 || strings.IndexByte(" \t\n;", text[i-1]) >= 0):
			comment, _, _ := strings.Cut(text[i:], "\n")
			i += len(comment)
		}
	}
	return open
}

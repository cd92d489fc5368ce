package command

import "testing"

func TestQuotedPlaceholder(t *testing.T) {
	for text, want := range map[string]string{
		`sim {a} --b={b}`:                    "",
		`sim '{a}'`:                          "{a}",
		`sim "{a}"`:                          "{a}",
		`sim "x is {a}"`:                     "{a}",
		`sim 'x' {a} "y"`:                    "",
		`sim "x"{a}'y'`:                      "",
		`sim \' {a}`:                         "",
		`sim "\"" {a}`:                       "",
		`sim '\' {a}`:                        "",
		`echo "$(sim {a})"`:                  "",
		`echo "$(sim "{a}")"`:                "{a}",
		`echo "$(sim (1) {a}) {b}"`:          "{b}",
		"echo \"`sim {a}`\"":                 "",
		`# don't` + "\n" + `sim {a}`:         "",
		`sim x#'{a}'`:                        "{a}",
		`echo '{{"x": '{a}'}}'`:              "",
		`echo '{{"seed": {seed}}}'`:          "",
		"cat <<END\nit's {a}\nEND":           "",
		`sim {a} | awk '{{ print "{b}" }}'`:  "{b}",
		`sim {a} | awk '{{ print $1 }}' {b}`: "",
	} {
		if got := quotedPlaceholder(text); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

package grid

import (
	"strings"
	"testing"
)

const claimWords = "[[claim]]\ntext = \"S\"\nsource = \"P\"\n"

// Claims do not change what is run.
func TestClaimsAreNoPartOfARun(t *testing.T) {
	plain := parse(t, "seeds = 2\n")
	with := parse(t, "seeds = 2\n"+claimWords+"untested='not simulated'\n"+claimWords+"expect='sent > 3'\neach=['x', 'f']\nover='N'\ncalibrated=true")
	if c := with.Claims; len(c) != 2 || c[0].Untested != "not simulated" || c[0].Calibrated || c[1].Expect != "sent > 3" ||
		len(c[1].Each) != 2 || c[1].Each[1] != "f" || c[1].Over[0] != "N" || !c[1].Calibrated || c[1].Errorf("").Line != 7 {
		t.Errorf("claims %+v", c)
	}
	if d := plain.Plan().Difference(with.Plan()); d != "" {
		t.Errorf("with claims the plan has %s", d)
	}
}

// Faults in an expression have their own place, however it is quoted.
func TestPlacesInQuotedText(t *testing.T) {
	for text, want := range map[string]string{
		`expect = "ä + sent"`:                "t.toml:6:15: x",
		`expect = 'ä + sent'`:                "t.toml:6:15: x",
		"expect = \"\"\"ä + sent\"\"\"":      "t.toml:6:17: x",
		"expect = '''\nä +\n  sent'''":       "t.toml:8:3: x",
		"expect = \"\"\"\nä +\n  sent\"\"\"": "t.toml:8:3: x",
		`expect = "\u00e4 + sent"`:           "t.toml:6:10: x", // where the string begins
	} {
		s := parse(t, "seeds = 2\n"+claimWords+text)
		if got := s.Claims[0].ErrorIn("expect", 0, strings.Index(s.Claims[0].Expect, "sent"), "x").Error(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

func TestFaultsOfClaims(t *testing.T) {
	refuses(t, map[string]string{
		"[claim]\ntext='x'":                           `2:2: claim is a table, want at most 1000 tables such as [[claim]]`,
		"claim = [3]":                                 `2:10: claim holds the integer 3, want tables such as [[claim]]`,
		"[[claim]]\nsource='x'":                       `2:3: the claim has no key "text": the claim in words`,
		"[[claim]]\ntext='x'":                         `2:3: the claim has no key "source": who made it, where`,
		"[[claim]]\ntext=' '":                         `3:6: text is the string " ", want the claim in words`,
		"[[claim]]\ntext=['x']":                       `3:6: text is a list, want the claim in words`,
		claimWords:                                    `2:3: the claim has no key "expect": an expression that must be true`,
		claimWords + "expcet='x'":                     `5:1: unknown key "expcet", want text, source, expect,`,
		claimWords + "untested='x'\nexpect='y'":       `6:8: the claim has both untested and expect, want one`,
		claimWords + "expect='x'\neach='x'\nsome='y'": `7:6: the claim has both each and some, want one`,
		claimWords + "expect='x'\neach=3":             `6:6: each is the integer 3, want a parameter, or a list of some`,
		claimWords + "expect='x'\ncalibrated='yes'":   `6:12: calibrated is the string "yes", want true or false`,
	})
}

func TestParseClaims(t *testing.T) {
	list, err := ParseClaims("u.toml", []byte(claimWords+"untested='why'\n"+claimWords+"untested='also'"))
	if err != nil || len(list) != 2 || list[1].Untested != "also" {
		t.Errorf("%+v, %v", list, err)
	}
	for text, want := range map[string]string{
		claimWords + "expect='x'": "u.toml:1:3: the claim has no sweep that tests it, want untested: why not",
		"experiment = 'x'":        `u.toml:1:1: unknown key "experiment", want claim`,
	} {
		if _, err := ParseClaims("u.toml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

package report

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	template "github.com/DataDog/datadog-agent/pkg/template/html"

	"sweep/plots"
)

// A Figure is one of a sweep.
type Figure struct {
	plots.Figure
	ID    string
	Pages []plots.Page
	Drawn []template.HTML // of Pages; nil if there was no room on the page
	Paths []string        // links to Pages, if they are files
}

// fitting returns the figures that fit the data, those of papers first.
func fitting(data *plots.Data) (figures []*Figure) {
	for _, f := range data.Figures() {
		if f.Why == "" {
			figures = append(figures, &Figure{Figure: f, Pages: f.Pages()})
		}
	}
	slices.SortStableFunc(figures, byRank)
	return figures
}

// rank orders figures: those of papers and of specs first.
func (f *Figure) rank() int {
	if f.Source != "" || f.OfSpec {
		return 0
	}
	return 1
}

func byRank(a, b *Figure) int { return cmp.Compare(a.rank(), b.rank()) }

var (
	svgSpace  = regexp.MustCompile(`\sxmlns(:xlink)?="[^"]*"`)
	svgSize   = regexp.MustCompile(`width="([\d.]+)pt" height="[\d.]+pt"`)
	svgStyle  = regexp.MustCompile(`style="([^"]*)"`)
	svgPath   = regexp.MustCompile(` d="[^"]*"`)
	svgNumber = regexp.MustCompile(`(\d\.\d)\d+`)
)

// A styleSheet is the styles that figures repeat; each is a class v0, v1, ….
type styleSheet []string

// class returns an attribute for a style attribute.
func (s *styleSheet) class(attribute string) string {
	style := svgStyle.FindStringSubmatch(attribute)[1]
	i := slices.Index(*s, style)
	if i < 0 {
		i = len(*s)
		*s = append(*s, style)
	}
	return fmt.Sprintf("class=v%d", i)
}

func (s styleSheet) String() (css string) {
	for i, style := range s {
		css += fmt.Sprintf(".v%d{%s}\n", i, style)
	}
	return css
}

// draw draws the figures for which there is room, and returns their styles.
func draw(figures []*Figure) (styles styleSheet, err error) {
	room := maxFigureBytes
	for _, f := range figures {
		var drawn []template.HTML
		size := 0
		for i := range f.Pages {
			var b bytes.Buffer
			if err := f.Pages[i].Write(&b, plots.SVG); err != nil {
				return nil, err
			}
			id := fmt.Sprintf("%s-%d", f.ID, i+1)
			text := styles.inline(b.String(), f.Pages[i].Name, id)
			drawn = append(drawn, template.HTML(text))
			size += len(text)
		}
		if size <= room {
			f.Drawn = drawn
			room -= size
		}
	}
	return styles, nil
}

// inline makes an SVG a part of a page. It turns XML into HTML, and gives it an
// id of its own, for figures of other sweeps may have the same name. The
// figure becomes as wide as 1.3 times its width on paper, its paths have tenths
// of a point, and its styles are classes.
func (s *styleSheet) inline(svg, name, id string) string {
	head, body, _ := strings.Cut(svg[strings.Index(svg, "<svg"):], "\n<g ")
	head = svgSpace.ReplaceAllString(head, "") // HTML knows
	name = template.HTMLEscapeString(name)
	size := svgSize.FindStringSubmatch(head)
	head = strings.NewReplacer(
		`"`+name+"-", `"`+id+"-",
		" "+name+`-desc"`, " "+id+`-desc"`,
		size[0], fmt.Sprintf(`style="width:calc(%spt*1.3)"`, size[1]),
	).Replace(head)
	body = svgStyle.ReplaceAllStringFunc(body, s.class)
	return head + "\n<g " + svgPath.ReplaceAllStringFunc(body, shortened)
}

// shortened returns a path with tenths of a point.
func shortened(path string) string { return svgNumber.ReplaceAllString(path, "$1") }

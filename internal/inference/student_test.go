package inference

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// TestStudentBits compares the factors of every number of degrees of freedom
// up to 20,000 with gonum's, the twelfth digit of which is noise, and their
// bits with those of every other processor.
func TestStudentBits(t *testing.T) {
	hash := sha256.New()
	for df := 1.0; df <= 20000; df++ {
		raw := studentQuantile(0.025, df)
		if want := (distuv.StudentsT{Sigma: 1, Nu: df}).Quantile(0.975); math.Abs(raw/want-1) > 2e-11 {
			t.Errorf("df %v: %v, gonum has %v", df, raw, want)
		}
		for _, x := range []float64{raw, StudentFactor(df, 0.95), studentP(1.5, df)} {
			hash.Write(binary.BigEndian.AppendUint64(nil, math.Float64bits(x)))
		}
	}
	const want = "86e4d3e9e17567e6a018a94729afa31259769740c30765331b7709de42ed0304"
	if got := hex.EncodeToString(hash.Sum(nil)); got != want {
		t.Errorf("the bits are %s, want %s", got, want)
	}
}

// TestStudentQuantile compares with values computed to 40 digits.
func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ p, df, want float64 }{
		{0.025, 1, 12.706204736174704646}, {0.025, 2, 4.3026527297494638523}, {0.025, 29, 2.0452296421327042982},
		{0.025, 673, 1.963495144694990083}, {0.025, 20000, 1.9600826051581351942}, {0.5, 5, 0},
	} {
		if got := studentQuantile(c.p, c.df); math.Abs(got-c.want) > 2e-14*c.want {
			t.Errorf("t(%v, %v) = %v, want %v", c.p, c.df, got, c.want)
		}
	}
	for _, df := range []float64{1, 2.5, 10, 1e3} {
		for _, x := range []float64{0, 0.1, 1, 5, 40, 1e200, math.Inf(1)} {
			got, want := studentP(x, df), 2*(distuv.StudentsT{Sigma: 1, Nu: df}).CDF(-x)
			if math.Abs(got-want) > 1e-11*want {
				t.Errorf("p(%v, %v) = %v, gonum has %v", x, df, got, want)
			}
		}
	}
	if p := studentP(math.NaN(), 3); !math.IsNaN(p) {
		t.Errorf("p of NaN is %v", p)
	}
}

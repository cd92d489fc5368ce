package page

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"sweep/internal/progress"
)

// A Server shows a sweep while it runs, to browsers on the same machine: the
// page at /, and at /state how far it has come. It can only be read.
//
// The page is written anew when somebody asks for it, but so seldom that this
// takes a twentieth of the time of one processor at most. Nobody who does not ask
// costs anything.
type Server struct {
	URL string

	write  func(io.Writer) error
	server http.Server

	state atomic.Pointer[progress.State]
	over  atomic.Bool
	asked atomic.Int64 // when the state last was by who lacks the last page; times are Unix nanoseconds
	next  atomic.Int64 // when the page is to be written anew

	drawing sync.Mutex // held while a page is written
	page    []byte
}

// Serve listens at an address that Loopback does not refuse, such as
// 127.0.0.1:0, and serves pages as write writes them until Close.
func Serve(address string, write func(io.Writer) error) (*Server, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + listener.Addr().String() + "/", write: write}
	s.Tell(progress.State{})
	pages := http.NewServeMux()
	pages.HandleFunc("GET /{$}", s.servePage)
	pages.HandleFunc("GET /state", s.serveState)
	s.server = http.Server{Handler: s.guard(pages), ReadHeaderTimeout: 5 * time.Second, WriteTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // until it is shut down
	return s, nil
}

// Loopback refuses addresses that other machines can reach.
func Loopback(address string) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil || !at.Addr().IsLoopback() {
		return fmt.Errorf("%q is no address of the loopback interface, want for example 127.0.0.1:0", address)
	}
	return nil
}

// Tell says how far the sweep has come.
func (s *Server) Tell(state progress.State) { s.state.Store(&state) }

// Close ends the server. Whoever watches has the time to get the last page.
func (s *Server) Close() error {
	s.over.Store(true)
	s.next.Store(-1) // not the 0 of a first page that may be under way
	for least := 1500; time.Since(time.Unix(0, s.asked.Load())) < 5*time.Second; least = 50 {
		time.Sleep(time.Duration(least) * time.Millisecond) // pages ask each second, if they have the time
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.server.Shutdown(ctx) // or else:
	return s.server.Close()
}

// guard lets through what is asked of the address itself. Another name in the
// Host header means that a page of somewhere else has its name resolved to us,
// to read what it must not.
func (s *Server) guard(pages http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Cache-Control", "no-store")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if "http://"+r.Host+"/" != s.URL {
			http.Error(w, "this is "+s.URL, http.StatusMisdirectedRequest)
			return
		}
		pages.ServeHTTP(w, r)
	}
}

func (s *Server) serveState(w http.ResponseWriter, _ *http.Request) {
	now := time.Now().UnixNano()
	s.asked.Store(now)
	state, over := s.state.Load(), s.over.Load()
	text := state.String()
	if over {
		text = state.Summary()
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // who has left does not want it
		"todo": state.Todo, "done": state.Done, "failed": state.Failed, "text": text, "fresh": now >= s.next.Load(), "over": over,
	})
}

func (s *Server) servePage(w http.ResponseWriter, _ *http.Request) {
	if s.over.Load() {
		defer s.asked.Store(0)
	}
	s.drawing.Lock()
	defer s.drawing.Unlock()
	if due, began := s.next.Load(), time.Now(); began.UnixNano() >= due {
		var b bytes.Buffer
		if err := s.write(&b); err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		s.page = b.Bytes()
		next := began.Add(max(2*time.Second, 20*time.Since(began)))
		s.next.CompareAndSwap(due, next.UnixNano()) // unless all is over since
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(s.page) // who has left does not want it
}

package inspect_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

func ExampleHandler() {
	calls := hashedwheel.MustNew()
	defer calls.Stop()

	http.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{"calls": calls}))
}

// A program reads the same as JSON.
func ExampleHandler_json() {
	sessions := hashedwheel.MustNew()
	defer sessions.Stop()
	for range 3 {
		sessions.AfterFunc(time.Hour, new(session).expire)
	}
	server := httptest.NewServer(inspect.Handler(map[string]*hashedwheel.Timer{"sessions": sessions}))
	defer server.Close()

	resp, err := server.Client().Get(server.URL + "?format=json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	var report struct {
		Timers []struct {
			Name  string
			Stats struct{ Pending int }
			Tasks []struct {
				Name  string
				Count int
			}
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&report); err != nil {
		fmt.Println(err)
		return
	}
	for _, timer := range report.Timers {
		fmt.Println(timer.Name, timer.Stats.Pending, timer.Tasks)
	}
	// Output: sessions 3 [{inspect_test.(*session).expire 3}]
}

// The histogram of lateness, as Prometheus reads it: bounds are in seconds there.
func ExampleHandler_prometheus() {
	calls := hashedwheel.MustNew()
	defer calls.Stop()
	w := httptest.NewRecorder()
	handler := inspect.Handler(map[string]*hashedwheel.Timer{"calls": calls})
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/?format=json", nil))

	var report struct {
		Timers []struct {
			Name string
			Lags struct {
				Count   uint64
				Buckets []struct {
					Le    time.Duration `json:"le_ns"`
					Count uint64
				}
			} `json:"lag_histogram"`
		}
	}
	if err := json.NewDecoder(w.Body).Decode(&report); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("# TYPE timer_lag_seconds histogram")
	for _, timer := range report.Timers {
		for _, b := range timer.Lags.Buckets[:3] { // and so on
			fmt.Printf("timer_lag_seconds_bucket{timer=%q,le=\"%v\"} %d\n", timer.Name, b.Le.Seconds(), b.Count)
		}
		fmt.Printf("timer_lag_seconds_bucket{timer=%q,le=\"+Inf\"} %d\n", timer.Name, timer.Lags.Count)
		fmt.Printf("timer_lag_seconds_count{timer=%q} %d\n", timer.Name, timer.Lags.Count)
	}
	// Output:
	// # TYPE timer_lag_seconds histogram
	// timer_lag_seconds_bucket{timer="calls",le="0.0001"} 0
	// timer_lag_seconds_bucket{timer="calls",le="0.0002"} 0
	// timer_lag_seconds_bucket{timer="calls",le="0.0004"} 0
	// timer_lag_seconds_bucket{timer="calls",le="+Inf"} 0
	// timer_lag_seconds_count{timer="calls"} 0
}

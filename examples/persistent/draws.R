# Counts draws below beta: a persistent program in R, without packages.

value <- function(request, name) {
  sub(sprintf('.*"%s":"?([^,"}]*).*', name), "\\1", request)
}

cat('{"sweep": 1}\n')
input <- file("stdin", "r")
while (length(request <- readLines(input, n = 1)) > 0) {
  beta <- as.numeric(value(request, "beta"))
  steps <- as.numeric(value(request, "steps"))
  state <- as.numeric(value(request, "seed"))
  below <- 0
  for (i in seq_len(steps)) {
    state <- (16807 * state) %% 2147483647
    below <- below + (state < beta * 2147483647)
  }
  cat(sprintf('{"run": "%s", "below": %d}\n', value(request, "run"), below))
}

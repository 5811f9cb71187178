module example.org/pause

go 1.26

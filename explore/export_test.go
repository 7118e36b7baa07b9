package explore

// Crowded makes workers start as soon as there is anything to share.
func (c Config) Crowded(workers int) Config {
	c.Workers, c.crowd = workers, 1
	return c
}

// Probability is what Random reports.
var Probability = probability

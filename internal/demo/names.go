package demo

import "math/rand/v2"

// person makes up a name. Berths for ladies get a lady's.
func person(rng *rand.Rand, lady bool) string {
	ladies := []string{"Ana", "Beatrice", "Chiara", "Dragana", "Eleni", "Francesca", "Ivana", "Jelena", "Katerina", "Lucija", "Maja", "Nataša", "Sofia", "Tea", "Vesna"}
	men := []string{"Andrea", "Boris", "Dimitris", "Enrico", "Filip", "Giorgos", "Ivan", "Jure", "Luka", "Matteo", "Nikola", "Paolo", "Petar", "Tomaž", "Yannis"}
	last := []string{
		"Babić", "Bianchi", "Cossutta", "Dimas", "Furlan", "Galanis", "Horvat", "Ilić", "Jovanović", "Kos", "Lazaridis", "Marin", "Novak",
		"Pahor", "Petrović", "Rossi", "Samaras", "Stojanović", "Tomasi", "Vidali", "Zupan",
	}
	first := ladies
	if !lady && rng.IntN(2) == 0 {
		first = men
	}
	return first[rng.IntN(len(first))] + " " + last[rng.IntN(len(last))]
}

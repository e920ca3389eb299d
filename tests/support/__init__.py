"""What tests share: commands run and their output, models drawn at random, known counts, links."""

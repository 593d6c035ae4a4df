"""The race: infwalk's methods beside other packages', on labelled networks."""

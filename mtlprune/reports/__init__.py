"""Tables, figures and pages made of numbers."""

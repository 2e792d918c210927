//! Carries out what was promised after a response.

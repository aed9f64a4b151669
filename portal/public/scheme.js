// Sets the chosen colour scheme before the first paint, so that pages do not flash in the other one.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('portico-color-scheme');
  } catch {
    // Storage may be disabled; then the system's scheme is used.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
}

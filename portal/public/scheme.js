// Before the first paint: the colour scheme that the person chose, so that no page flashes in the other one.
{
  let chosen = null;
  try {
    chosen = localStorage.getItem('portico-color-scheme');
  } catch {
    // Storage may be switched off; the system's scheme is used then.
  }
  const dark = chosen === 'dark' || (chosen !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
}

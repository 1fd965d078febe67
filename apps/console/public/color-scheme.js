// Before the first paint: the reader's choice, or what the system prefers.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('greenroom.color-scheme');
  } catch {
    // No storage: the system decides.
  }
  var dark =
    chosen === 'dark' || (chosen !== 'light' && window.matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light');
})();

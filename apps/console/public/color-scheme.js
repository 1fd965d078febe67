// Before the first paint: the reader's choice, or what the system prefers; and words in place of a white page.
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

  // A file that the first screen needs cannot be fetched, or fails: nothing of the console runs to say so.
  addEventListener(
    'error',
    function (event) {
      var root = document.getElementById('root');
      // A screen says itself what it could not fetch.
      if (event.target instanceof HTMLLinkElement || !root || root.childElementCount > 0) return;
      var main = document.createElement('main');
      main.style.cssText = 'padding: 24px; font: 0.875rem/1.5 system-ui, sans-serif';
      var title = document.createElement('h1');
      title.textContent = 'The console could not be loaded';
      var text = document.createElement('p');
      text.textContent =
        'A file of it could not be fetched, or your browser is older than it needs. Nothing that you have saved is lost.';
      var again = document.createElement('button');
      again.textContent = 'Try again';
      again.addEventListener('click', function () {
        location.reload();
      });
      main.append(title, text, again);
      root.append(main);
    },
    true,
  );
})();

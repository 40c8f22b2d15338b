// Sets the theme before the first paint; a separate file because the page allows no inline script.
;(function () {
  var choice = 'auto'
  try {
    choice = localStorage.getItem('tessera.theme') || 'auto'
  } catch (e) {
    // Storage may be refused (private window): the system's theme is used.
  }
  var dark = choice === 'dark' || (choice === 'auto' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()

// Finds Chromium, or installs Debian's package where this runs as root.
//
// The shell is the same engine without the windows that nobody looks at: pages take a fifth less of the processors.
import { spawnSync } from 'node:child_process'

const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']

/** The path of a program that starts. @returns {string | undefined} */
export function findChromium() {
  const wanted = process.env['CHROMIUM_PATH'] ? [process.env['CHROMIUM_PATH']] : names
  const found = wanted.map((name) =>
    spawnSync('sh', ['-c', 'command -v "$0"', name], { encoding: 'utf8' }).stdout.trim(),
  )
  return found.find((path) => path !== '' && spawnSync(path, ['--version'], { stdio: 'ignore' }).status === 0)
}

/** The browser's program, installed where possible; otherwise an error that says how. */
export function bringChromium() {
  const found = findChromium()
  if (found !== undefined) return found
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0) {
    console.log('▸ installing Chromium (Debian package)')
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    const apt = (/** @type {string[]} */ ...args) => spawnSync('apt-get', args, { stdio: ['ignore', 2, 2], env })
    apt('update')
    for (const name of names.slice(0, 2)) {
      apt('install', '--yes', '--no-install-recommends', name)
      const installed = findChromium()
      if (installed !== undefined) return installed
    }
  }
  throw new Error('The browser tests need Chromium: install it, or set CHROMIUM_PATH to the program.')
}

// Where the page begins: it shows its frame, and only then runs the scripts of all the rest, one task each.
import { withoutBase } from './base-path'
import { language } from './language/chosen'
import { pause } from './pause'
import { forgetKeys, keepKeys } from './shell/commands/early-keys'
import { frameOf } from './shell/frame'
import { showLoadFailure } from './shell/load-failure'
import './styles/index.css'

document.documentElement.lang = language.locale
document.documentElement.dir = language.direction

const host = document.getElementById('root')
if (host === null) throw new Error('index.html has no #root')
host.replaceChildren(frameOf(location))
if (withoutBase(location.pathname) !== '/login') keepKeys()
// The browser reads its tables with the first format. No task can be split there, so it is done before the frame shows.
void new Intl.NumberFormat(language.locale)

// Not awaited here: the rest imports parts of this script, and would wait for it.
loadRest().catch((error: unknown) => {
  forgetKeys()
  showLoadFailure(host)
  reportError(error)
})

async function loadRest(): Promise<void> {
  await painted()
  // The build names them in order, those first that others need.
  for (const { href } of document.querySelectorAll<HTMLLinkElement>('link[rel=modulepreload]')) {
    await import(/* @vite-ignore */ href)
    await pause()
  }
  await import('./main')
}

/** When the browser has drawn the frame. It draws nothing while the page is hidden. */
async function painted(): Promise<void> {
  if (document.visibilityState === 'visible') await new Promise((resolve) => requestAnimationFrame(resolve))
  await pause()
}

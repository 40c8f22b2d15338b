import { lazy, Suspense } from 'react'
import { Modal } from '../../ui/Modal'
import { openOverlay, useOverlay } from './overlays'
import { t } from '../../language/text'

const load = () => import('./CommandSearch')
const CommandSearch = lazy(() => load().then((module) => ({ default: module.CommandSearch })))

/** Where the browser does not tell when it has nothing else to do. */
const UNHURRIED_MS = 1000

/** Reads the code of the search when the browser has nothing else to do, so that the first letter finds its field. */
export function prefetchPalette(): void {
  if ('requestIdleCallback' in globalThis) requestIdleCallback(() => void load())
  else setTimeout(() => void load(), UNHURRIED_MS)
}

/** Ctrl/Cmd-K: type a few letters, press Enter. */
export function CommandPalette() {
  const close = (): void => openOverlay(undefined)
  return (
    <Modal open={useOverlay() === 'palette'} onClose={close} className="dialog palette" label={t('Commands')}>
      <Suspense>
        <CommandSearch onDone={close} />
      </Suspense>
    </Modal>
  )
}

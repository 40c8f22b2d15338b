import { lazy, Suspense } from 'react'
import { Modal } from '../../ui/Modal'
import { openOverlay, useOverlay } from './overlays'
import { t } from '../../language/text'

const load = () => import('./CommandSearch')
const CommandSearch = lazy(() => load().then((module) => ({ default: module.CommandSearch })))

/** Reads the code of the search when the browser has nothing else to do, so that the first letter finds its field. */
export const prefetchPalette = (): void => void load()

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

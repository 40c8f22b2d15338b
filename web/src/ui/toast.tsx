import { Toast } from '@base-ui/react/toast'
import { startTransition, useEffect, useState } from 'react'
import { whenIdle } from '../pause'
import { Button } from './Button'
import { Icon } from './Icon'
import { t } from '../language/text'

type Tone = 'good' | 'bad' | 'plain'

/** How long news stays, ms. */
const STAYS = 6000
/** How many are shown at once. */
const MOST = 4

const manager = Toast.createToastManager()

interface Offer {
  label: string
  run: () => void
}

/** What was said before there was a place for it. */
let early: (() => void)[] | undefined = []

/** Shows a notification; errors, and those with an offer, stay until dismissed. */
export function toast(text: string, tone: Tone = 'good', offer?: Offer): void {
  if (early === undefined) show(text, tone, offer)
  else early.push(() => show(text, tone, offer))
}

function show(text: string, tone: Tone, offer: Offer | undefined): void {
  const timeout = tone === 'bad' || offer !== undefined ? 0 : STAYS
  const id: string = manager.add({
    title: text,
    type: tone,
    timeout,
    ...(offer !== undefined && {
      actionProps: {
        children: offer.label,
        onClick: () => {
          manager.close(id)
          offer.run()
        },
      },
    }),
  })
}

/** Their place comes after the page: it draws itself twice, and would hold up the first drawing. */
export function Toasts() {
  const [isIdle, setIsIdle] = useState(false)
  useEffect(() => whenIdle(() => startTransition(() => setIsIdle(true))), [])
  return isIdle && <Place />
}

function Place() {
  useEffect(() => {
    for (const say of early ?? []) say()
    early = undefined
    return () => {
      early = []
    }
  }, [])
  return (
    <Toast.Provider toastManager={manager} limit={MOST + 1}>
      <Toast.Portal>
        <Toast.Viewport className="toasts" aria-label={t('Notifications')}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts, close } = Toast.useToastManager()
  useEffect(() => {
    const here = toasts.filter(({ transitionStatus }) => transitionStatus !== 'ending')
    if (here.length <= MOST) return
    // The oldest goes, an error only if all are errors. The list begins with the newest.
    const gone = here.slice(1).findLast(({ type }) => type !== 'bad') ?? here.at(-1)
    close(gone?.id)
  }, [toasts, close])
  return toasts.toReversed().map((entry) => (
    // A note, not a dialog: it asks nothing.
    <Toast.Root
      key={entry.id}
      toast={entry}
      role="group"
      aria-modal={undefined}
      className={`toast ${entry.type ?? 'plain'}`}
    >
      <Toast.Title render={<span />} />
      {entry.actionProps !== undefined && <Toast.Action aria-hidden={false} render={<Button small />} />}
      <Toast.Close
        aria-label={t('Dismiss')}
        // The library hides it in a stack; here all are shown whole.
        aria-hidden={false}
        render={
          <Button look="quiet" small>
            <Icon name="close" />
          </Button>
        }
      />
    </Toast.Root>
  ))
}

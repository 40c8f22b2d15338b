import type { ReactNode } from 'react'
import { Button } from '../../ui/Button'
import { t } from '../../language/text'

interface Props {
  /** what the button that runs it says */
  action: string
  valid: boolean
  running: boolean
  onRun: () => void
  onStop: () => void
  children: ReactNode
}

/** A form whose work runs until it is done or stopped. */
export function RunForm({ action, valid, running, onRun, onStop, children }: Props) {
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (valid && !running) onRun()
      }}
    >
      {children}
      <div className="row end">
        {/* One element for both, so that it keeps the focus. */}
        <Button
          type={running ? 'button' : 'submit'}
          look={running ? 'danger' : 'primary'}
          disabled={!running && !valid}
          onClick={(event) => {
            if (!running) return
            // The run may end before the click on Stop ends, which would then submit the form.
            event.preventDefault()
            onStop()
          }}
        >
          {running ? t('Stop') : action}
        </Button>
      </div>
    </form>
  )
}

import type { ReactNode } from 'react'
import { Button } from '../ui/Button'

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
        {running ? (
          <Button look="danger" onClick={onStop}>
            Stop
          </Button>
        ) : (
          <Button type="submit" look="primary" disabled={!valid}>
            {action}
          </Button>
        )}
      </div>
    </form>
  )
}

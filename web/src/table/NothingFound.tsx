import { Button } from '../ui/Button'
import { Say } from '../language/Say'

/** In place of rows, if a search has found none. */
export function NothingFound({ asked, onClear }: { asked: string; onClear: () => void }) {
  return (
    <Say
      text="Nothing here has “{asked}”. <button>Clear the search</button>"
      values={{
        asked,
        button: (parts) => (
          <Button small onClick={onClear}>
            {parts}
          </Button>
        ),
      }}
    />
  )
}

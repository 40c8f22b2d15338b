import { Popover } from '@base-ui/react/popover'
import { Button } from '../ui/Button'
import { Icon } from '../ui/Icon'
import type { ColumnDef } from './column'
import { type ColumnChoice, NO_CHOICE, withMove, withPin, withShown, withWidth } from './column-choice'
import { t } from '../language/text'
import { Say } from '../language/Say'
import { Tip } from '../ui/Tip'

interface Props<Row> {
  /** name of the table */
  label: string
  columns: readonly { id: string; def: ColumnDef<Row> }[]
  /** those that are drawn */
  shown: readonly string[]
  choice: ColumnChoice
  onChoice: (next: ColumnChoice) => void
  /** the width of a column as it is drawn, pixels */
  widthOf: (id: string) => number
}

/** By how much a press changes a width, pixels. */
const STEP = 24

/** Which columns a table shows, in which order, how wide, and which stay in view. All of it works by keyboard. */
export function ColumnMenu<Row>({ label, columns, shown, choice, onChoice, widthOf }: Props<Row>) {
  const ids = columns.map(({ id }) => id)
  return (
    <Popover.Root>
      <Popover.Trigger
        render={
          <Button small>
            <Say
              text="{icon}Columns <part>of {label}</part>"
              values={{
                icon: <Icon name="columns" />,
                part: (parts) => <span className="visually-hidden">{parts}</span>,
                label,
              }}
            />
            <span className="mute">
              {t('{value} of {ids}', { value: ids.filter((id) => shown.includes(id)).length, ids: ids.length })}
            </span>
          </Button>
        }
      />
      <Popover.Portal>
        <Popover.Positioner className="popup-place" sideOffset={4} align="end">
          <Popover.Popup className="popup column-menu" aria-label={t('Columns of {label}', { label })}>
            <ul>
              {columns.map(({ id, def }) => (
                <Line
                  key={id}
                  id={id}
                  name={def.label ?? id}
                  ids={ids}
                  drawn={shown.includes(id)}
                  last={shown.length === 1 && shown.includes(id)}
                  {...{ choice, onChoice, widthOf }}
                />
              ))}
            </ul>
            <Button small disabled={choice === NO_CHOICE} onClick={() => onChoice(NO_CHOICE)}>
              {t('Reset columns')}
            </Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  )
}

interface LineProps extends Pick<Props<unknown>, 'choice' | 'onChoice' | 'widthOf'> {
  id: string
  /** as it is shown */
  name: string
  ids: readonly string[]
  drawn: boolean
  /** the only one that is left */
  last: boolean
}

function Line({ id, name, ids, drawn, last, choice, onChoice, widthOf }: LineProps) {
  const pinned = choice.pinned.includes(id)
  const group = ids.filter((other) => choice.pinned.includes(other) === pinned)
  const sized = (by: number): void => onChoice(withWidth(choice, id, widthOf(id) + by))
  return (
    <li>
      <label>
        <input
          type="checkbox"
          checked={drawn}
          disabled={last}
          onChange={() => onChoice(withShown(choice, id, !drawn))}
        />
        <span>{name}</span>
      </label>
      <Tool
        label={t('Move {id} left', { id: name })}
        icon="left"
        off={group[0] === id}
        act={() => onChoice(withMove(choice, ids, id, -1))}
      />
      <Tool
        label={t('Move {id} right', { id: name })}
        icon="right"
        off={group.at(-1) === id}
        act={() => onChoice(withMove(choice, ids, id, 1))}
      />
      <Tool label={t('Make {id} narrower', { id: name })} icon="minus" off={!drawn} act={() => sized(-STEP)} />
      <Tool label={t('Make {id} wider', { id: name })} icon="plus" off={!drawn} act={() => sized(STEP)} />
      <Tool
        label={t('Keep {id} at the left', { id: name })}
        icon="pin"
        pressed={pinned}
        off={!drawn && !pinned}
        act={() => onChoice(withPin(choice, id, !pinned, widthOf(id)))}
      />
    </li>
  )
}

interface ToolProps {
  label: string
  icon: 'left' | 'right' | 'minus' | 'plus' | 'pin'
  off: boolean
  pressed?: boolean
  act: () => void
}

/** A small button that keeps the focus when it has nothing left to do. */
function Tool({ label, icon, off, pressed, act }: ToolProps) {
  return (
    <Tip text={label}>
      <Button
        look="quiet"
        small
        aria-label={label}
        aria-pressed={pressed}
        aria-disabled={off || undefined}
        onClick={off ? undefined : act}
      >
        <Icon name={icon} />
      </Button>
    </Tip>
  )
}

import { Dialog } from '../../ui/Dialog'
import { useNavItems } from '../nav/use-nav-items'
import { openOverlay, useOverlay } from './overlays'
import { MODIFIER } from './PaletteButton'

/** The sheet of keyboard shortcuts, opened with "?". */
export function Shortcuts() {
  const rows: [string[], string][] = [
    [[MODIFIER, 'K'], 'search commands'],
    [[MODIFIER, 'P'], 'print the page with its charts'],
    [['?'], 'show shortcuts'],
    ...useNavItems().flatMap(({ items }) =>
      items.map(({ key, label }): [string[], string] => [['g', key], `go to ${label}`]),
    ),
    [['Alt', 'N'], 'queries: open a new one'],
    [['Alt', 'W'], 'queries: close this one'],
    [['Alt', 'Shift', 'N'], 'queries: reopen the last closed one'],
    [['Alt', 'PgDn'], 'queries: go to the next one'],
    [['Alt', 'PgUp'], 'queries: go to the previous one'],
    [[MODIFIER, 'Enter'], 'queries: run'],
    [['←', '→'], 'on a chart: move the cursor'],
    [['Shift', '←', '→'], 'on a chart: select a range'],
    [['↑', '↓'], 'on the heatmap: move between cells'],
    [['Enter'], 'on a chart: select the point or cell'],
    [['Esc'], 'close a dialog, clear a selection'],
  ]
  return (
    <Dialog title="Keyboard shortcuts" open={useOverlay() === 'shortcuts'} onClose={() => openOverlay(undefined)}>
      <dl className="facts">
        {rows.map(([keys, words]) => (
          <div key={words} style={{ display: 'contents' }}>
            <dt>
              {keys.map((key) => (
                <kbd key={key} style={{ marginRight: 4 }}>
                  {key}
                </kbd>
              ))}
            </dt>
            <dd style={{ fontFamily: 'inherit' }}>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}

import { Dialog } from '../../ui/Dialog'
import { useNavItems } from '../nav/use-nav-items'
import { MODIFIER } from './modifier'
import { openOverlay, useOverlay } from './overlays'
import { t } from '../../language/text'

/** The sheet of keyboard shortcuts, opened with "?". */
export function Shortcuts() {
  return (
    <Dialog title={t('Keyboard shortcuts')} open={useOverlay() === 'shortcuts'} onClose={() => openOverlay(undefined)}>
      <Sheet />
    </Dialog>
  )
}

function Sheet() {
  const rows: [string[], string][] = [
    [[MODIFIER, 'K'], t('search commands')],
    [['/'], t('search commands')],
    [[MODIFIER, 'P'], t('print the page with its charts')],
    [['?'], t('show shortcuts')],
    ...useNavItems().flatMap(({ items }) =>
      items.map(({ key, label }): [string[], string] => [['g', key], t('go to {label}', { label })]),
    ),
    [['Alt', 'N'], t('queries: open a new one')],
    [['Alt', 'W'], t('queries: close this one')],
    [['Alt', 'Shift', 'N'], t('queries: reopen the last closed one')],
    [['Alt', 'PgDn'], t('queries: go to the next one')],
    [['Alt', 'PgUp'], t('queries: go to the previous one')],
    [[MODIFIER, 'Enter'], t('queries: run')],
    [['←', '→'], t('on a chart: move the cursor')],
    [['Shift', '←', '→'], t('on a chart: select a range')],
    [['↑', '↓'], t('on the heatmap: move between cells')],
    [['Enter'], t('on a chart: select the point or cell')],
    [['↑', '↓'], t('in a table: go from row to row')],
    [['Home', 'End'], t('in a table: go to the first row, or to the last one that was read')],
    [['PgUp', 'PgDn'], t('in a table: go a page up or down')],
    [['←', '→'], t('in a table: explain what is in the row')],
    [['Enter', 'Space'], t('in a table: open the row, or select it')],
    [['Shift', 'Tab'], t('in a table: leave the rows, to the actions on those that are selected')],
    [['Esc'], t('close a dialog, clear a selection')],
  ]
  return (
    <dl className="facts">
      {rows.map(([keys, words]) => (
        <div key={`${keys.join(' ')} ${words}`} style={{ display: 'contents' }}>
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
  )
}

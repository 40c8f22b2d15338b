import type { CSSProperties } from 'react'
import { count } from '../../format'
import { figureWords } from '../../records/figure-words'
import type { Groups } from '../../records/request/groups'
import { ScrollTable } from '../../table/ScrollTable'
import { InRow } from '../../ui/in-row'
import { Tip } from '../../ui/Tip'
import { t } from '../../language/text'

/** Groups with their figures. The figure that orders them has bars. */
export function GroupTable({ groups: { by, figures, drawn, rows }, total }: { groups: Groups; total: number }) {
  return (
    <div className="stack-small">
      {total > rows.length && (
        <span className="mute">
          {t('first {rows} of {total, plural, one {# group} other {# groups}}', { rows: count(rows.length), total })}
        </span>
      )}
      <ScrollTable label={t('Groups')}>
        <thead>
          <tr>
            {by.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            {figures.map((name) => (
              <th key={name} scope="col" className={name === drawn ? 'right drawn' : 'right'}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <InRow value>
            {rows.map((row, at) => (
              <tr key={at} tabIndex={-1}>
                {by.map((name) => (
                  <td key={name}>
                    <span className="cell">{row.by[name] ?? <span className="mute">{t('none')}</span>}</span>
                  </td>
                ))}
                {figures.map((name) => {
                  const figure = row.figures[name] ?? '–'
                  const shown = figureWords(figure)
                  return (
                    <td
                      key={name}
                      className={name === drawn ? 'right drawn' : 'right'}
                      style={name === drawn ? ({ '--share': row.share } as CSSProperties) : undefined}
                    >
                      {shown === figure ? (
                        shown
                      ) : (
                        <Tip text={figure}>
                          <span>{shown}</span>
                        </Tip>
                      )}
                    </td>
                  )
                })}
              </tr>
            ))}
          </InRow>
        </tbody>
      </ScrollTable>
    </div>
  )
}

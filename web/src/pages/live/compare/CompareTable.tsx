import { VerdictBadge } from '../../../components/compare/VerdictBadge'
import { change, fixed, latency, MANY, rate, share } from '../../../format'
import type { ComparedFigure } from '../../../live/latency/comparison'
import { quantileWords, ratioWords } from '../../../live/latency/words'
import { ScrollTable } from '../../../table/ScrollTable'
import { t } from '../../../language/text'

interface Props {
  figures: readonly ComparedFigure[]
  other: string
}

/** The figures of two spans side by side. */
export function CompareTable({ figures, other }: Props) {
  return (
    <ScrollTable
      label={t('Compared figures')}
      caption={t('Figures of the selection, compared with {other}', { other })}
    >
      <thead>
        <tr>
          <th scope="col">{t('figure')}</th>
          <th scope="col" className="right">
            {t('selection')}
          </th>
          <th scope="col" className="right">
            {t('other')}
          </th>
          <th scope="col" className="right">
            {t('difference')}
          </th>
        </tr>
      </thead>
      <tbody>
        {figures.map((figure) => (
          <tr key={figure.name} className={figure.thin ? 'thin' : undefined}>
            <th scope="row">{figure.name}</th>
            <td className="right">{text(figure, figure.value)}</td>
            <td className="right">{text(figure, figure.other)}</td>
            <td className="right">
              <VerdictBadge verdict={figure.verdict} />
              <div className="num mute">{difference(figure)}</div>
            </td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  )
}

function text({ kind, name }: ComparedFigure, value: number | undefined): string {
  if (value === undefined) return '–'
  if (kind === 'rate') return rate(value)
  if (kind === 'share') return share(value)
  // A mean comes from exact sums.
  return name === 'mean' ? latency(value) : quantileWords(value)
}

/** "+12% ± 5%", "12× ± 0.4×", or "misses × 5 (3 to 8)". */
function difference({ interval, ratio, other = 0 }: ComparedFigure): string {
  if (ratio !== undefined) return ratioWords(ratio)
  if (interval === undefined || other === 0) return ''
  const { difference: middle, high } = interval
  const [by, more] = [middle / other, (high - middle) / other]
  return `${change(by)} ± ${by >= MANY ? `${fixed(more, 1)}×` : `${Math.round(more * 100)}%`}`
}

import type { MemoryBytes } from '../api/types'
import { bytes } from '../format'
import { memoryParts } from './memory-parts'
import { t } from '../language/text'

/** Memory by part: one bar, and the numbers. */
export function MemoryBar({ memory }: { memory: MemoryBytes }) {
  const total = Math.max(1, memory.total)
  return (
    <div className="stack-small">
      <div className="bars" role="img" aria-label={t('Memory by part, {total} total', { total: bytes(memory.total) })}>
        {memoryParts.map(
          ({ key, colour }) =>
            memory[key] > 0 && <i key={key} style={{ width: `${(memory[key] / total) * 100}%`, background: colour }} />,
        )}
      </div>
      <ul className="legend-list">
        {memoryParts.map(({ key, label, colour }) => (
          <li key={key}>
            <i style={{ background: colour }} aria-hidden="true" />
            <span>{label}</span>
            <span className="num">{bytes(memory[key])}</span>
          </li>
        ))}
        <li className="sum">
          <i aria-hidden="true" />
          <span>{t('total')}</span>
          <span className="num">{bytes(memory.total)}</span>
        </li>
      </ul>
    </div>
  )
}

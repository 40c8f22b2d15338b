import { useId } from 'react'
import { Button } from '../../ui/Button'
import { describedBy } from '../../ui/described-by'
import { ErrorText } from '../../ui/ErrorText'
import { Icon } from '../../ui/Icon'
import { Select, wordChoices } from '../../ui/inputs'
import { type BinRow, binTypes, sized } from './capacity-form'
import type { FieldsProps } from './CapacityFields'
import { t } from '../../language/text'
import { Say } from '../../language/Say'
import { typeWords } from '../../components/api-words'
import { NumberInput } from '../../ui/NumberField'

const types = wordChoices(binTypes, typeWords)
/** Narrow, so that a row fits on a phone in any font. */
const CELL = { padding: '4px 6px 4px 0', whiteSpace: 'normal' } as const

/** The bins that every record has: type, bytes of the name, bytes of the value. */
export function BinRows({ form, set, problems }: FieldsProps) {
  const { bins, singleBin } = form
  const id = useId()
  const control = (part: `${'name' | 'value'}${number}`) =>
    describedBy(problems[part] === undefined ? undefined : `${id}-${part}`)
  const change = (index: number, part: Partial<BinRow>): void =>
    set({ bins: bins.map((bin, at) => (at === index ? { ...bin, ...part } : bin)) })
  return (
    <div className="stack-small">
      <label className="check">
        <input
          type="checkbox"
          checked={singleBin}
          onChange={(event) =>
            set({ singleBin: event.target.checked, ...(event.target.checked && { bins: bins.slice(0, 1) }) })
          }
        />
        <span>{t('Single bin: stored without its name')}</span>
      </label>
      <table className="table">
        <caption className="visually-hidden">{t('Bins of a record')}</caption>
        <thead>
          <tr>
            <th scope="col" style={CELL}>
              {t('type')}
            </th>
            <th scope="col" style={CELL}>
              {t('name, bytes')}
            </th>
            <th scope="col" style={CELL}>
              {t('value, bytes')}
            </th>
            <th scope="col" style={CELL}>
              <span className="visually-hidden">{t('remove')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {bins.map((bin, index) => (
            <tr key={index}>
              <td style={CELL}>
                <Select
                  aria-label={t('Type of bin {index}', { index: index + 1 })}
                  style={{ minWidth: 84 }}
                  value={bin.type}
                  choices={types}
                  onChange={(type) => change(index, { type })}
                />
              </td>
              <td style={CELL}>
                <NumberInput
                  aria-label={t('Name length of bin {index}, bytes', { index: index + 1 })}
                  {...control(`name${index}`)}
                  min={1}
                  max={255}
                  disabled={singleBin}
                  value={singleBin ? '0' : bin.nameBytes}
                  onChange={(nameBytes) => change(index, { nameBytes })}
                />
              </td>
              <td style={CELL}>
                <NumberInput
                  aria-label={t('Value length of bin {index}, bytes', { index: index + 1 })}
                  {...control(`value${index}`)}
                  disabled={!sized(bin.type)}
                  value={sized(bin.type) ? bin.bytes : 'fixed'}
                  onChange={(bytes) => change(index, { bytes })}
                />
              </td>
              <td style={CELL}>
                <Button
                  look="quiet"
                  aria-label={t('Remove bin {index}', { index: index + 1 })}
                  disabled={bins.length === 1}
                  onClick={() => set({ bins: bins.filter((_, at) => at !== index) })}
                >
                  <Icon name="close" />
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {bins.flatMap((_, index) =>
        ([`name${index}`, `value${index}`] as const).map(
          (part) =>
            problems[part] !== undefined && (
              <ErrorText key={part} id={`${id}-${part}`}>
                {t('Bin {index}: {problems}', { index: index + 1, problems: problems[part] })}
              </ErrorText>
            ),
        ),
      )}
      {!singleBin && (
        <div>
          <Button small onClick={() => set({ bins: [...bins, { type: 'string', nameBytes: '8', bytes: '32' }] })}>
            <Say text="{icon}Add a bin" values={{ icon: <Icon name="plus" /> }} />
          </Button>
        </div>
      )}
    </div>
  )
}

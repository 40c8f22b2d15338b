import { useQuery } from '@tanstack/react-query'
import { setQuery } from '../../../api/sets'
import { NamespacePicker } from '../../../components/fields/pickers'
import { useSettled } from '../../../components/fields/use-settled'
import { Button } from '../../../ui/Button'
import { Card } from '../../../ui/Card'
import { plainChoices, SelectField, TextField } from '../../../ui/inputs'
import { NumberField } from '../../../ui/NumberField'
import { ExportFields } from './ExportFields'
import { isExport } from './exported'
import { columnsOf, isMapped, type Mapping, plainRows } from './mapping'
import type { Sample } from './sample'
import { t } from '../../../language/text'
import { Say } from '../../../language/Say'
import { THREADS } from '../../../ui/number'

interface Props {
  ns: string
  sample: Sample
  mapping: Mapping
  cpus: number
  busy: boolean
  /** why nothing can be sent yet */
  problem: string | undefined
  onNamespace: (ns: string) => void
  onMapping: (part: Partial<Mapping>) => void
  onDryRun: () => void
  onImport: () => void
}

const keyTypes = [
  { value: 'auto', label: t('automatic') },
  { value: 'string', label: t('string') },
  { value: 'integer', label: t('integer') },
] as const
const modes = [
  { value: 'upsert', label: t('replace existing records') },
  { value: 'insert', label: t('reject existing keys') },
] as const

/** How long the name of a set stands still before the server is asked for it. */
const NAMED_MS = 150

/** The mapping of rows to records. */
export function MappingCard({
  ns,
  sample,
  mapping,
  cpus,
  busy,
  problem,
  onNamespace,
  onMapping,
  onDryRun,
  onImport,
}: Props) {
  // The set that is named as one types; asked for when the name stands still.
  const existing = useQuery(setQuery(ns, useSettled(mapping.set, NAMED_MS))).data ?? undefined
  const { asExport } = mapping
  const columns = columnsOf(sample, mapping.header)
  // A key may be at a path, like a bin.
  const sources = new Set([...columns, ...mapping.rows.map(({ source }) => source).filter(Boolean), mapping.key])
  const keys = [
    { value: '', label: columns.includes('key') ? t('the field “key”') : t('row numbers') },
    ...plainChoices([...sources].filter(Boolean)),
  ]
  const bins = isMapped(sample, mapping)
    ? mapping.rows.filter(({ keep, bin }) => keep && bin !== '').map(({ bin }) => bin)
    : columns
  const placed = mapping.distributionBin === '' || bins.includes(mapping.distributionBin)
  const threadsValid =
    mapping.threads === '' ||
    (/^\d{1,3}$/.test(mapping.threads) && Number(mapping.threads) >= 1 && Number(mapping.threads) <= 128)
  return (
    <Card title={t('Rows to records')}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (threadsValid && problem === undefined) onImport()
        }}
      >
        <NamespacePicker value={ns} onChange={onNamespace} />
        {isExport(sample) && <ExportFields sample={sample} mapping={mapping} onMapping={onMapping} />}
        <div className="grid-2 pair">
          <TextField
            label={asExport && mapping.keepSets ? t('Default set') : t('Set')}
            mono
            value={mapping.set}
            onChange={(set) => onMapping({ set })}
            placeholder={t('no set')}
            hint={asExport && mapping.set === '' ? undefined : existing === undefined ? t('new') : t('exists')}
          />
          <NumberField
            label={t('Threads')}
            value={mapping.threads}
            placeholder={String(cpus)}
            onChange={(threads) => onMapping({ threads })}
            {...THREADS}
          />
          {!asExport && (
            <>
              <SelectField label={t('Key')} value={mapping.key} choices={keys} onChange={(key) => onMapping({ key })} />
              <SelectField
                label={t('Key type')}
                value={mapping.keyType}
                choices={keyTypes}
                onChange={(keyType) => onMapping({ keyType })}
              />
            </>
          )}
        </div>
        <SelectField
          label={t('Existing keys')}
          value={mapping.mode}
          choices={modes}
          onChange={(mode) => onMapping({ mode })}
        />
        {asExport ? null : existing === undefined ? (
          <SelectField
            label={t('Distribution bin')}
            value={mapping.distributionBin}
            choices={[
              { value: '', label: t('none: the key chooses the segment') },
              ...plainChoices(placed ? bins : [...bins, mapping.distributionBin]),
            ]}
            onChange={(distributionBin) => onMapping({ distributionBin })}
            hint={t('Records with the same value share a segment. A query with that value reads only that segment')}
          />
        ) : (
          existing.distributionBin !== undefined && (
            <p className="mute small">
              <Say
                text="Distribution bin of this set: <code>{distributionBin}</code>"
                values={{ distributionBin: existing.distributionBin }}
              />
            </p>
          )
        )}
        {sample.format === 'csv' && !asExport && (
          <label className="check">
            <input
              type="checkbox"
              checked={mapping.header}
              onChange={({ target: { checked: header } }) =>
                onMapping({ header, key: '', distributionBin: '', rows: plainRows(sample, header) })
              }
            />
            <span>{t('The first line has the column names')}</span>
          </label>
        )}
        {problem !== undefined && <p className="bad small">{problem}</p>}
        <div className="row end">
          <Button busy={busy} disabled={!threadsValid || problem !== undefined} onClick={onDryRun}>
            {t('Dry run')}
          </Button>
          <Button type="submit" look="primary" busy={busy} disabled={!threadsValid || problem !== undefined}>
            {t('Import')}
          </Button>
        </div>
      </form>
    </Card>
  )
}

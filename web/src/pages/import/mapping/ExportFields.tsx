import { exportKey } from './exported'
import type { Mapping } from './mapping'
import type { Sample } from './sample'
import { t } from '../../../language/text'

interface Props {
  sample: Sample
  mapping: Mapping
  onMapping: (part: Partial<Mapping>) => void
}

/** What the records of an export keep. */
export function ExportFields({
  sample,
  mapping: { asExport, keepSets, keepExpiry, keepGenerations },
  onMapping,
}: Props) {
  return (
    <fieldset className="choices">
      <legend>{t('This file is an export of Tessera')}</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={asExport}
          onChange={({ target: { checked } }) =>
            onMapping({ asExport: checked, key: checked ? '' : exportKey(sample) })
          }
        />
        <span>{t('Restore its records with their keys and bins')}</span>
      </label>
      {asExport && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={keepSets}
              onChange={({ target: { checked } }) => onMapping({ keepSets: checked })}
            />
            <span>{t('Put each record into its own set')}</span>
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={keepExpiry}
              onChange={({ target: { checked } }) => onMapping({ keepExpiry: checked })}
            />
            <span>{t('Keep the rest of each time to live')}</span>
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={keepGenerations}
              onChange={({ target: { checked } }) => onMapping({ keepGenerations: checked })}
            />
            <span>{t('Keep each generation')}</span>
          </label>
        </>
      )}
    </fieldset>
  )
}

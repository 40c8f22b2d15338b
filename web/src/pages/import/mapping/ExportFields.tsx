import { exportKey } from './exported'
import type { Mapping } from './mapping'
import type { Sample } from './sample'

interface Props {
  sample: Sample
  mapping: Mapping
  onMapping: (part: Partial<Mapping>) => void
}

/** What the records of an export keep. */
export function ExportFields({ sample, mapping: { asExport, keepSets, keepExpiry }, onMapping }: Props) {
  return (
    <fieldset className="choices">
      <legend>This file is an export of Tessera</legend>
      <label className="check">
        <input
          type="checkbox"
          checked={asExport}
          onChange={({ target: { checked } }) =>
            onMapping({ asExport: checked, key: checked ? '' : exportKey(sample) })
          }
        />
        <span>Restore its records with their keys and bins</span>
      </label>
      {asExport && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={keepSets}
              onChange={({ target: { checked } }) => onMapping({ keepSets: checked })}
            />
            <span>Put each record into its own set</span>
          </label>
          <label className="check">
            <input
              type="checkbox"
              checked={keepExpiry}
              onChange={({ target: { checked } }) => onMapping({ keepExpiry: checked })}
            />
            <span>Keep the rest of each time to live</span>
          </label>
        </>
      )}
    </fieldset>
  )
}

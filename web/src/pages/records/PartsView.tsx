import { useMemo, useState } from 'react'
import { JsonEditor } from '../../editor/JsonEditor'
import { bytes } from '../../format'
import { EDIT_MOST } from '../../records/edit'
import { partsOf, partText } from '../../records/json-parts'
import { PartPager } from './PartPager'
import { t } from '../../language/text'

/** Bins that are too long to edit, as JSON in parts. */
export function PartsView({ bins }: { bins: string }) {
  const [part, setPart] = useState(0)
  const parts = useMemo(() => partsOf(bins), [bins])
  return (
    <div className="stack-small">
      <p className="note">
        {t('{bins} of JSON, shown in parts.', { bins: bytes(bins.length) })}{' '}
        {bins.length > EDIT_MOST && t('It is too long to edit here.')}
      </p>
      <JsonEditor
        key={part}
        aria-label={t('Bins as JSON')}
        value={partText(bins, parts, part)}
        onChange={() => undefined}
        rows={14}
        readOnly
      />
      <PartPager part={part} parts={parts.length} onPart={setPart} />
    </div>
  )
}

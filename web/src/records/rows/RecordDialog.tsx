import { Link } from '@tanstack/react-router'
import { CopyButton } from '../../ui/Copy'
import { Dialog } from '../../ui/Dialog'
import { type Exact, isExactObject, printExact } from '../json'
import { keyOf } from '../key'
import { t } from '../../language/text'

/** One whole record of a result, with a link to its editor. */
export function RecordDialog({ ns, record, onClose }: { ns: string; record: Exact | undefined; onClose: () => void }) {
  const key = record === undefined ? undefined : keyOf(record)
  const set = isExactObject(record) && typeof record['set'] === 'string' ? record['set'] : undefined
  const text = record === undefined ? '' : printExact(record, 2)
  return (
    <Dialog
      title={key === undefined ? t('Record') : t('Record {text}', { text: key.text })}
      open={record !== undefined}
      onClose={onClose}
      wide
    >
      <pre className="json" tabIndex={0} aria-label={t('Record as JSON')}>
        {text}
      </pre>
      <div className="row end">
        <CopyButton text={text} label={t('Copy JSON')} />
        {key !== undefined && set !== undefined && (
          <Link to="/records" search={{ ns, set, key: key.text, keytype: key.type }} className="btn primary">
            {t('Open in Records')}
          </Link>
        )}
      </div>
    </Dialog>
  )
}

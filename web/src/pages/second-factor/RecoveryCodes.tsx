import { saveFile } from '../../components/save-file'
import { Button } from '../../ui/Button'
import { CopyButton } from '../../ui/Copy'
import { t } from '../../language/text'

const FILE = 'tessera-recovery-codes.txt'

/** The only time that they are seen. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  const text = `${codes.join('\n')}\n`
  return (
    <div className="stack">
      <p>{t('The second factor is set up. Each of these recovery codes signs you in once without the app.')}</p>
      <p>
        <strong>{t('Keep them in a safe place: they are shown only now.')}</strong>
      </p>
      <ul className="recovery-codes" aria-label={t('Recovery codes')}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row end">
        <CopyButton text={text} />
        <Button small onClick={() => saveFile(FILE, new Blob([text], { type: 'text/plain' }))}>
          {t('Download')}
        </Button>
        <Button look="primary" onClick={onDone}>
          {t('Done')}
        </Button>
      </div>
    </div>
  )
}

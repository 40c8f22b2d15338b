import { useRouter } from '@tanstack/react-router'
import { useBinNames } from '../../components/fields/use-sample'
import { JsonField } from '../../editor/JsonField'
import { faultOf, faultWords } from '../../records/json-scan'
import { compactRequest, fitsAddress, readRequest, setNameOf } from '../../records/request/request'
import { Card } from '../../ui/Card'
import { CopyButton } from '../../ui/Copy'
import { t } from '../../language/text'

interface Props {
  ns: string
  text: string
  onChange: (text: string) => void
  onRun: () => void
}

/** The whole request as JSON, in sync with the form, with a link to share it. */
export function StreamRequestCard({ ns, text, onChange, onRun }: Props) {
  const router = useRouter()
  const request = compactRequest(text)
  const fits = fitsAddress(request)
  const link = (): string =>
    new URL(router.buildLocation({ to: '/streams', search: { ns, request } }).publicHref, location.origin).href
  const bins = useBinNames(ns, setNameOf(text))
  const fault = faultOf(text)
  const problem = fault
    ? faultWords(text, fault)
    : readRequest(text) === undefined
      ? t('Enter a JSON object')
      : undefined
  return (
    <Card
      title={t('Request')}
      aside={t('as JSON, in sync with the form')}
      end={fits && <CopyButton text={link()} label={t('Copy link')} />}
    >
      {/* Only handles keys that bubble up from the text. */}
      <div
        role="none"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
          event.preventDefault()
          onRun()
        }}
      >
        <JsonField
          label={t('Request as JSON')}
          value={text}
          onChange={onChange}
          rows={Math.min(18, Math.max(4, text.split('\n').length))}
          error={problem}
          fault={fault}
          guide={{ body: { operation: 'stream' }, bins }}
          {...(!fits && { hint: t('Too long for a link.') })}
        />
      </div>
    </Card>
  )
}

import { Link } from '@tanstack/react-router'
import { Page } from '../shell/Page'
import { Card } from '../ui/Card'
import { Empty } from '../ui/Empty'

/** An address that leads nowhere. */
export function NotFound() {
  return (
    <Page title="Not found">
      <Card>
        <Empty
          title="There is no such page"
          action={
            <Link to="/" className="btn primary">
              Go to the overview
            </Link>
          }
        >
          The address may be misspelt, or the thing it named was dropped.
        </Empty>
      </Card>
    </Page>
  )
}

// Bench: the writes of works that have some: a client edits an item while partners read the portfolio.
import { Client } from 'pg';

/** Alternately adds and removes a full stop, so that bodies do not grow. */
const CHANGE = `
update items set title = case when right(title, 1) = '.' then left(title, -1) else title || '.' end
where id = (select id from items where client_id = $1 order by id offset $2 limit 1)`;
/** Number of a portfolio's items that are edited in turn. */
const ITEMS = 500;

/**
 * One connection, opened with the first write: writes are sequential, like those of the application that owns the data.
 */
export class PortfolioWriter {
  readonly #url: string;
  #client: Promise<Client> | undefined;
  #changes = 0;

  constructor(url: string) {
    this.#url = url;
  }

  async change(clientId: string): Promise<void> {
    this.#client ??= connect(this.#url);
    const values = [clientId, (this.#changes++ * 7) % ITEMS];
    await (await this.#client).query({ name: 'change', text: CHANGE, values });
  }
}

async function connect(connectionString: string): Promise<Client> {
  const client = new Client({ connectionString });
  await client.connect();
  return client;
}

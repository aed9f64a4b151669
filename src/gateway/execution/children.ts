// Gateway: rows that belong to assets, read for all assets of a request together.
import DataLoader from 'dataloader';
import type { AssetKey } from '#repositories/assets/asset-children.ts';

export class Children<Row> {
  /** The rows of each asset, in the order of the assets. */
  readonly #read: (assets: readonly AssetKey[]) => Promise<Row[][]>;
  readonly #known = new Map<string, Row[]>();
  #loader: DataLoader<AssetKey, Row[]> | undefined;

  constructor(read: (assets: readonly AssetKey[]) => Promise<Row[][]>) {
    this.#read = read;
  }

  /** Reads the rows of these assets, so that `of` has them at once: a promise for each asset costs more than its rows. */
  async load(assets: readonly AssetKey[]): Promise<void> {
    const found = assets.length === 0 ? [] : await this.#read(assets);
    for (const [at, { id }] of assets.entries()) this.#known.set(id, found[at] ?? []);
  }

  /** The asset's rows; where they are not loaded, they are read with those of all others that are asked for meanwhile. */
  of(asset: AssetKey): Row[] | Promise<Row[]> {
    return this.#known.get(asset.id) ?? this.#batched().load(asset);
  }

  #batched(): DataLoader<AssetKey, Row[]> {
    this.#loader ??= new DataLoader(this.#read);
    return this.#loader;
  }
}

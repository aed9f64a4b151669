// Gateway: rows that belong to assets, read together for all assets of a request.
import DataLoader from 'dataloader';
import type { AssetKey } from '#repositories/assets/asset-children.ts';

export class Children<Row> {
  /** Reads the rows of each asset, in the order of the assets. */
  readonly #read: (assets: readonly AssetKey[]) => Promise<Row[][]>;
  readonly #known = new Map<string, Row[]>();
  #loader: DataLoader<AssetKey, Row[]> | undefined;

  constructor(read: (assets: readonly AssetKey[]) => Promise<Row[][]>) {
    this.#read = read;
  }

  /**
   * Reads the rows of these assets in advance, so that `of` can return them without a promise: a promise for each asset
   * costs more than its rows.
   */
  async load(assets: readonly AssetKey[]): Promise<void> {
    const found = assets.length === 0 ? [] : await this.#read(assets);
    for (const [at, { id }] of assets.entries()) this.#known.set(id, found[at] ?? []);
  }

  /** The asset's rows. If they are not loaded, they are read in one batch with those of other assets. */
  of(asset: AssetKey): Row[] | Promise<Row[]> {
    return this.#known.get(asset.id) ?? this.#batched().load(asset);
  }

  #batched(): DataLoader<AssetKey, Row[]> {
    this.#loader ??= new DataLoader(this.#read);
    return this.#loader;
  }
}

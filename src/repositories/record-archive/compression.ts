// Repositories: how columns of a month's file are compressed: zstd, which Node has.
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';

export const CODEC = 'ZSTD';

export const compressors = { [CODEC]: (bytes: Uint8Array): Uint8Array => zstdCompressSync(bytes) };
export const decompressors = { [CODEC]: (bytes: Uint8Array): Uint8Array => zstdDecompressSync(bytes) };

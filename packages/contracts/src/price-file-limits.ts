/** The largest file of prices, and the largest body that carries one: its quotes are escaped there. */
export const priceFileBytesMax = 8 * 1024 * 1024;
export const priceUploadBytesMax = 2 * priceFileBytesMax + 64 * 1024;

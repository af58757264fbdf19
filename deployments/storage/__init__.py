"""Files of the data folder: uploads, blobs, the reserve for a full disk."""

/*
** clock.c -- the time and random names.  See clock.h.
*/
#include "store/clock.h"
#include "bytes/hex.h"
#include "store/error.h"

void kvUuid(char *z){
  u8 a[16];
  int i;
  sqlite3_randomness(16, a);
  a[6] = (u8)((a[6] & 0x0f) | 0x40);
  a[8] = (u8)((a[8] & 0x3f) | 0x80);
  for(i=0; i<16; i++){
    if( i==4 || i==6 || i==8 || i==10 ) *z++ = '-';
    *z++ = kvHexDigit(a[i]>>4);
    *z++ = kvHexDigit(a[i]);
  }
  *z = 0;
}

i64 kvNow(void){
  sqlite3_vfs *pVfs = sqlite3_vfs_find(0);
  i64 t = 0;
  if( pVfs->iVersion>=2 && pVfs->xCurrentTimeInt64 ){
    sqlite3_int64 v = 0;
    pVfs->xCurrentTimeInt64(pVfs, &v);
    t = v;
  }else{
    double r = 0.0;                    /* not reached: an old kind of VFS */
    pVfs->xCurrentTime(pVfs, &r);      /* not reached */
    t = (i64)(r*86400000.0);           /* not reached */
  }
  return t - 210866760000000;           /* Julian day 2440587.5 in ms */
}

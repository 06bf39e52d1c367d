/*
** regexp_read.c -- reading a regular expression.  See regexp_read.h.
*/
#include "codec/regexp/regexp_read.h"
#include "bytes/utf.h"

/* The character at offset i, and its length. */
static u32 readGet(const KvRe *p, u32 i, u32 *pn){
  u32 c;
  if( i>=p->source.n ){
    *pn = 0;
    return KV_RE_END;
  }
  if( p->source.p[i]<0x80 ){
    *pn = 1;
    return p->source.p[i];
  }
  *pn = (u32)kvUtf8Get(kvBytesFrom(p->source, i), &c, 1);
  return c;
}

u32 kvReCurrent(const KvRe *p){
  u32 n, c = readGet(p, p->i, &n);
  if( c<0x10000 || p->bPoint || c==KV_RE_END ) return c;
  return p->bLow ? 0xdc00 + ((c-0x10000) & 0x3ff) : 0xd800 + ((c-0x10000)>>10);
}

void kvReAdvance(KvRe *p, int nChar){
  while( nChar-->0 ){
    u32 n, c = readGet(p, p->i, &n);
    if( c>=0x10000 && c!=KV_RE_END && !p->bPoint && !p->bLow ){
      p->bLow = 1;
    }else{
      p->bLow = 0;
      p->i += n;
    }
  }
}

u32 kvReNext(const KvRe *p){
  KvRe next = *p;
  kvReAdvance(&next, 1);
  return kvReCurrent(&next);
}

int kvReSkip(KvRe *p, u32 c){
  if( kvReCurrent(p)!=c ) return 0;
  kvReAdvance(p, 1);
  return 1;
}

int kvReError(KvRe *p, const char *zMsg){
  if( p->zErr==0 ){
    p->zErr = zMsg;
    p->iErr = p->i;
  }
  return 0;
}

int kvReNoMem(KvRe *p){
  p->bNoMem = 1;
  return kvReError(p, "out of memory");
}

u32 kvReNumber(KvRe *p){
  u32 v = 0, c;
  while( (c = kvReCurrent(p))>='0' && c<='9' ){
    v = v<=(0x7fffffff - (c-'0'))/10 ? v*10 + c - '0' : 0x7fffffff;
    kvReAdvance(p, 1);
  }
  return v;
}

void kvReScan(KvRe *pRe, int bInClass){
  KvRe s = *pRe;
  u32 c;
  if( s.bScanned ) return;
  while( (c = kvReCurrent(&s))!=KV_RE_END ){
    kvReAdvance(&s, 1);
    if( c=='\\' ){
      kvReAdvance(&s, 1);
    }else if( bInClass ){
      bInClass = c!=']';
    }else if( c=='[' ){
      bInClass = 1;
    }else if( c=='(' ){
      if( kvReSkip(&s, '?') ){
        if( !kvReSkip(&s, '<') ) continue;
        if( kvReCurrent(&s)=='=' || kvReCurrent(&s)=='!' ) continue;
        pRe->bNamed = 1;
      }
      s.nStarted++;
    }
  }
  pRe->nGroup = s.nStarted;
  pRe->bScanned = 1;
}

int kvReHasNames(KvRe *p, int bInClass){
  if( !p->bNamed ) kvReScan(p, bInClass);
  return p->bNamed;
}

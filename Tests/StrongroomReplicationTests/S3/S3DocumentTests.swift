import Testing

// What services write in documents is pinned without a server.
@testable import StrongroomReplication

@Suite struct S3DocumentTests {
    @Test func `a document has names, text, references, comments and sections`() {
        let text = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!-- a comment --><s3:List xmlns:s3="http://a/>b" a='"'>
              <Key>a&amp;b &lt;&#x20AC;&#246;&gt;</Key><Empty/><Empty a="/>" /><Key><![CDATA[<x>&amp;]]></Key></s3:List>

            """
        let root = S3Element(document: Array(text.utf8))
        #expect(root?.name == "List")
        #expect(root?["Key"] == "a&b <€ö>")
        #expect(root?.children.map(\.name) == ["Key", "Empty", "Empty", "Key"])
        #expect(root?.children.last?.text == "<x>&amp;")
    }

    @Test(arguments: [
        "", "text", "<a>", "<a></b>", "<a/><b/>", "<a/>text", "<a>&nbsp;</a>", "<a>&amp</a>", "<a><!-- </a>", "<a",
        "<!DOCTYPE a [<!ENTITY b \"c\">]><a/>", "<a b=\"></a>", "<a><b></a></b>", "</a>", "<a>&#xD800;</a>", "< a/>",
    ])
    func `a document that is not well-formed is refused`(text: String) {
        #expect(S3Element(document: Array(text.utf8)) == nil)
    }

    @Test func `every document that is cut is refused`() {
        let bytes = Array("<?xml version=\"1.0\"?><a b=\"c\"><d>e&amp;f</d><!-- g --><h/></a>".utf8)
        #expect(S3Element(document: bytes) != nil)
        for count in 0..<bytes.count { #expect(S3Element(document: Array(bytes.prefix(count))) == nil) }
    }

    @Test func `nesting has a limit`() {
        let deep = String(repeating: "<a>", count: 10_000) + String(repeating: "</a>", count: 10_000)
        #expect(S3Element(document: Array(deep.utf8)) == nil)
    }

    @Test func `a list has its objects, folders and next page`() throws {
        let text = """
            <ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>a+/=</NextContinuationToken>\
            <EncodingType>url</EncodingType><Contents><Key>a+b%2Bc</Key><Size>7</Size></Contents>\
            <CommonPrefixes><Prefix>d%C3%A9/</Prefix></CommonPrefixes></ListBucketResult>
            """
        let list = try #require(S3List(Array(text.utf8)))
        #expect(list.objects == [.init(key: "a b+c", size: 7)])
        #expect(list.prefixes == ["dé/"])
        #expect(list.nextPage == "a+/=")
    }

    @Test func `names of a list that is not percent-encoded stay as they are`() throws {
        let text = """
            <ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a+b%2B&amp;</Key><Size>0</Size>\
            </Contents></ListBucketResult>
            """
        #expect(try #require(S3List(Array(text.utf8))).objects.map(\.key) == ["a+b%2B&"])
    }

    @Test(arguments: [
        "<Other/>", "<ListBucketResult/>", "<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>",
        """
        <ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><Size>-</Size></Contents>\
        </ListBucketResult>
        """,
    ])
    func `an incomplete list is refused`(text: String) {
        #expect(S3List(Array(text.utf8)) == nil)
    }
}
